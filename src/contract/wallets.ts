export const walletTypes = ['hot', 'cold', 'custodial', 'other'] as const;

export const walletStatuses = ['active', 'inactive'] as const;
