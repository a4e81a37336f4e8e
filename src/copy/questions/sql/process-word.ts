/** The word that starts this program as the process of a query. */
export const QUERY_PROCESS = '__query';
