# Runs once, when the volume is empty: databases of the workflow engine and of the identity provider, each with a role of its own.
# The platform's own database is made by the service migrate.
set -eu
for name in workflow_engine idp; do
  password=$(cat "/run/secrets/${name}_db_password")
  psql -q -v ON_ERROR_STOP=1 -v name="$name" -v password="$password" --username postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
SQL
done
psql -q -v ON_ERROR_STOP=1 --username postgres -c 'create database workflow_engine_visibility owner workflow_engine'
for name in workflow_engine workflow_engine_visibility idp; do
  psql -q -v ON_ERROR_STOP=1 -v name="$name" --username postgres <<'SQL'
revoke connect on database :"name" from public;
SQL
done
