/** When a fee withdrawal last changed. An index has it in this form. */
export const FEE_WITHDRAWAL_AT = 'MAX(created_at, COALESCE(processed_at, 0))';
