/** The environment variables whose values are secrets: other programs must not see them, and no error repeats them. */
export const SECRET_VARIABLES: readonly string[] = [
  'FIATRAIL_API_KEY',
  'FIATRAIL_WEBHOOK_SECRET',
  'FIATRAIL_FORWARD_SECRET',
];
