import { SCHEMA } from './schema.ts';

/**
 * What a role may do that is no owner: docs/money.md quotes it, and a test makes a payment with it. The owner creates and upgrades the tables, and
 * imports. A host appends entries and keeps what repeats them. A reader sees everything but the settings, of which one is the key of the digests.
 */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT UPDATE (state, request_id, verdict, detail, result, updated_at, busy_until) ON ${SCHEMA}.operation TO fiatrail_host`,
    `GRANT UPDATE (stage, pushes, pushed) ON ${SCHEMA}.rotation TO fiatrail_host`,
    `GRANT UPDATE (minor) ON ${SCHEMA}.spent TO fiatrail_host`,
    `GRANT UPDATE (count) ON ${SCHEMA}.tally TO fiatrail_host`,
    `GRANT UPDATE (value) ON ${SCHEMA}.setting TO fiatrail_host`,
    `GRANT UPDATE (account), DELETE ON ${SCHEMA}.account_name TO fiatrail_host`,
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...['operation', 'entry', 'account_name', 'rotation', 'spent', 'tally'].map(
      (name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`,
    ),
  ],
} as const;

/**
 * The name of a role that owns something of the journal, and is neither this role nor one that it belongs to, nor the owner of the database, nor a
 * superuser. Such an owner could take away whatever rejects edits.
 */
export const STRANGE_OWNER = `(SELECT min(r.rolname) FROM pg_roles r
  WHERE r.oid IN (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = '${SCHEMA}'
      UNION SELECT c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${SCHEMA}'
      UNION SELECT p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = '${SCHEMA}')
    AND NOT r.rolsuper AND r.rolname <> current_user
    AND NOT (pg_has_role(r.oid, 'USAGE') AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))
    AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database()))`;

/** Whether this role could take away what protects the journal. */
export const IS_OWNER = `(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
  OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = '${SCHEMA}.entry'::regclass), 'USAGE')`;
