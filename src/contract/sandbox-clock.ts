/** The header in which a sandbox says its exact time, and by how much its clock was moved, both in milliseconds: `1763900000000 60000`. */
export const SANDBOX_CLOCK = 'x-sandbox-clock';
