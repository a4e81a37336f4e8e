/** The columns of a user: names, wallets and permanent accounts. */
export const USER_SHOWN = [
  { field: 'userId', title: 'User' },
  { field: 'isActive', title: 'Active' },
  { field: 'personalDetails.firstName', title: 'First name' },
  { field: 'personalDetails.middleName', title: 'Middle name' },
  { field: 'personalDetails.lastName', title: 'Last name' },
  { field: 'walletDetails.evmWallet', title: 'EVM wallet' },
  { field: 'walletDetails.bantuWallet', title: 'Bantu wallet' },
  { field: 'walletDetails.solanaWallet', title: 'Solana wallet' },
  {
    field: 'virtualAccounts',
    title: 'Permanent accounts',
    columns: [
      { field: 'accountNumber', title: 'Number' },
      { field: 'accountName', title: 'Name' },
      { field: 'bankName', title: 'Bank' },
      { field: 'status', title: 'Status' },
    ],
  },
] as const;

/** The columns of a deactivated user whose reason is known. */
export const DEACTIVATED_USER_SHOWN = [
  ...USER_SHOWN.slice(0, 2),
  { field: 'deactivationReason', title: 'Reason' },
  ...USER_SHOWN.slice(2),
] as const;
