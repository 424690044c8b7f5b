#!/bin/bash
# Run once, when the volume is new: one database for each of Gatehouse and Keycloak, with an owner who may enter no other.
# Passwords are read from the environment: arguments are for every process to see.
set -euo pipefail

for name in gatehouse keycloak; do
  psql -v ON_ERROR_STOP=1 -v name="$name" -v variable="${name^^}_DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password :variable
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE CONNECT, TEMPORARY ON DATABASE :"name" FROM PUBLIC;
SQL
done
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres -c 'REVOKE CONNECT ON DATABASE postgres FROM PUBLIC'
