"""What Alembic runs to migrate: on the connection it is given, inside the transaction that is open there."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
