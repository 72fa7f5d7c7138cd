"""Pure, linear-time text work: what is compared, counted and recognised in an answer."""
