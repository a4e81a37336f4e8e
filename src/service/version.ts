/** What answers with a `version` field say. Source: public samples. */
export const VERSION = '1.0.0';
