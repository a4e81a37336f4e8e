/**
 * The webhook URL of an embedded sandbox whose events go straight into the inbox, without a port. Nothing can answer at a name below
 * `.invalid` (RFC 6761), so no other sandbox can deliver there by mistake. Source: inferred.
 */
export const INBOX_URL = 'https://inbox.fiatrail.invalid/';
