CREATE SCHEMA ragassay;
CREATE TABLE ragassay.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE ragassay.facts (
    kind character varying NOT NULL COLLATE pg_catalog."C",
    key character varying NOT NULL COLLATE pg_catalog."C",
    digest character varying NOT NULL COLLATE pg_catalog."C",
    payload bytea NOT NULL
);
CREATE TABLE ragassay.failures (
    number bigint NOT NULL,
    digest character varying NOT NULL COLLATE pg_catalog."C",
    kind character varying NOT NULL COLLATE pg_catalog."C",
    key character varying NOT NULL COLLATE pg_catalog."C",
    error bytea NOT NULL,
    detail bytea,
    at character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE SEQUENCE ragassay.failures_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE ragassay.failures_number_seq OWNED BY ragassay.failures.number;
CREATE TABLE ragassay.leases (
    kind character varying NOT NULL COLLATE pg_catalog."C",
    key character varying NOT NULL COLLATE pg_catalog."C",
    worker character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE ragassay.run_members (
    digest character varying NOT NULL COLLATE pg_catalog."C",
    run character varying NOT NULL COLLATE pg_catalog."C",
    query bytea NOT NULL,
    kind character varying NOT NULL COLLATE pg_catalog."C",
    key character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE ragassay.runs (
    number bigint NOT NULL,
    id character varying NOT NULL COLLATE pg_catalog."C",
    plan character varying NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    state character varying NOT NULL COLLATE pg_catalog."C",
    created character varying NOT NULL COLLATE pg_catalog."C",
    system bytea NOT NULL,
    dataset bytea NOT NULL,
    dataset_hash character varying NOT NULL COLLATE pg_catalog."C",
    folder bytea,
    done integer NOT NULL,
    failed integer NOT NULL
);
CREATE SEQUENCE ragassay.runs_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE ragassay.runs_number_seq OWNED BY ragassay.runs.number;
ALTER TABLE ONLY ragassay.failures ALTER COLUMN number SET DEFAULT nextval('ragassay.failures_number_seq'::regclass);
ALTER TABLE ONLY ragassay.runs ALTER COLUMN number SET DEFAULT nextval('ragassay.runs_number_seq'::regclass);
INSERT INTO ragassay.alembic_version VALUES ('0001');
INSERT INTO ragassay.facts VALUES ('answer', '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b', '06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8', '\x00ff');
INSERT INTO ragassay.facts VALUES ('judgement', 'd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35', '5cfcac6ad022ecff20b6fd0c7b80b78b9aa96d0b60704ad92834f36dbb723e63', '\xd09ed182d0b2d0b5d182');
INSERT INTO ragassay.failures VALUES (1, '3e78440b16ed2716ab6f55816102144f16b86c7675087b25290012cf7840fed2', 'answer', 'd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35', '\x74696d656f7574', '\xeda08000', '2026-10-01T12:30:15.250000+00:00');
INSERT INTO ragassay.run_members VALUES ('1e1c69c9fbad4fe00b99a4fb6a10758cfba798ad28fc36e6d11f72b928bc25c8', 'ab12', '\x7131', 'answer', '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b');
INSERT INTO ragassay.runs VALUES (1, 'ab12', 'd6b254f23af80a6b1a11ab547dd4b33aadebc0ee826aeaffc8206d968463eb0d', '\xd09dd0bed187d0bdd0bed0b9', 'finished', '2026-10-01T12:30:15.250000+00:00', '\x7b226b696e64223a2268747470222c226e616d65223a2268747470733a2f2f7261672e746573742f61736b222c2276657273696f6e223a2237222c2270726f6d70745f68617368223a227031227d', '\x68616e64626f6f6b', '6fa87cc6ee508869a74a04e118495cf4714768535a7f3e0aab43b881c00a933e', '\x72756e732f61623132', 1, 0);
SELECT pg_catalog.setval('ragassay.failures_number_seq', 1, true);
SELECT pg_catalog.setval('ragassay.runs_number_seq', 1, true);
ALTER TABLE ONLY ragassay.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY ragassay.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY ragassay.failures
    ADD CONSTRAINT failures_digest_key UNIQUE (digest);
ALTER TABLE ONLY ragassay.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (number);
ALTER TABLE ONLY ragassay.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY ragassay.run_members
    ADD CONSTRAINT run_members_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY ragassay.runs
    ADD CONSTRAINT runs_id_key UNIQUE (id);
ALTER TABLE ONLY ragassay.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (number);
CREATE INDEX ix_failures_key ON ragassay.failures USING btree (key);
CREATE INDEX ix_run_members_run ON ragassay.run_members USING btree (run);
