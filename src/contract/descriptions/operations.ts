/** What each endpoint does beyond its summary, by its id: what it moves, what it returns now and what comes later, what cannot be undone. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  'users.onboard':
    'Verifies the BVN and creates a user with wallets and a permanent virtual account. Returns at once; the outcome comes with `/onboardstatus` or the event `user.onboarded`. Names and other details come from the BVN record, so nothing else is sent.',
  'users.onboard-status':
    'Returns how far an onboarding is. When it completes, the response has the user’s id. A failed onboarding cannot be retried with the same request id.',
  'users.get-details':
    'Returns what is known about a user: name, wallet addresses and the permanent virtual account, which is ready to be paid into.',
  'users.list': 'Returns the verified users of the account, one page at a time.',
  'users.set-status':
    'An inactive user cannot start transactions or receive deposits. Deactivation needs a reason, which is kept for audits.',
  'users.get-default-wallet': 'Returns the external wallet that the user’s cNGN goes to, or null if none is set.',
  'users.set-default-wallet':
    'From then on, three kinds of cNGN go to this address: deposits into the user’s permanent virtual account, onramps, and what is swept to the default wallet. Swaps, offramps and escrow still use the wallet that the service manages. The service cannot move tokens out of the external wallet.',
  'users.remove-default-wallet': 'From then on, the user’s cNGN goes to the wallet that the service manages.',
  'management.update-onramp-asset':
    'Sets which token the user’s deposits are swapped for, and how. Takes effect for later deposits.',

  'transactions.onramp':
    'Creates a wallet and a one-time bank account for it. Once the exact amount is paid within 30 minutes, the service mints cNGN and delivers it, after a swap if one was asked for. Get the bank account with `/getvirtualaccount`; follow the onramp with `/cngnonrampstatus`. No money moves before the payment.',
  'transactions.onramp-status':
    'Returns how far an onramp is: the payment, the delivery of cNGN, and the swap if there is one.',
  'transactions.offramp':
    'Pays Naira to a bank account for cNGN from the user’s wallets, which also pay the fees. Returns once the cNGN has moved; the bank payout follows. After a timeout the outcome is unknown: look for the offramp before you send another.',
  'transactions.offramp-status': 'Returns how far an offramp is: first the token transfer, then the bank payout.',
  'transactions.fintech-offramp':
    'Takes the account’s own cNGN and pays Naira to one of its payout accounts. Returns at once; the payout follows. After a timeout the outcome is unknown: look for the payout before you send another.',
  'transactions.fintech-offramp-status':
    'Returns how far a payout of the account is: first the token transfer, then the bank payout.',
  'transactions.withdraw-asset':
    'Sends a user’s tokens to an address outside the platform. It is final when the call returns; a transfer on a network cannot be undone. After a timeout the outcome is unknown: look for the withdrawal before you send another.',
  'transactions.list-withdrawals':
    'Returns transfers and withdrawals of tokens to external addresses, one page at a time.',
  'transactions.fintech-transfer':
    'Sends the account’s own tokens to an external wallet that was registered before. It is final when the call returns. What open orders and escrows reserve cannot be transferred.',
  'transactions.recover-status':
    'Asks the service to look at a request that does not move on. It changes the request although it is a GET, so do not repeat it automatically. Use the status of the request to see what came of it.',
  'transactions.recover-status-post':
    'The newer form of the same operation. Use the status of the request to see what came of it.',
  'transactions.list-deposits':
    'Returns bank transfers into the virtual accounts of the account and its users, one page at a time.',
  'transactions.list-payouts':
    'Returns payouts of the account and offramps of its users to bank accounts, one page at a time.',
  'transactions.list': 'Returns deposits and payouts in one list, one page at a time, with totals of all that match.',

  'swaps.trigger': 'Swaps what the wallet of an onramp holds. The swap is queued; follow it with `/swapstatus`.',
  'swaps.create':
    'Swaps a user’s tokens at the prices of the order book. Returns at once; follow the swap with `/swapstatus`.',
  'swaps.status': 'Returns how far a swap is. It does not name the token that was bought.',
  'swaps.history': 'Returns the swaps of the account and its users, one page at a time.',

  'bridge.quote': 'Returns what a transfer to another network costs and how long it takes. It reserves nothing.',
  'bridge.initiate':
    'Creates a bridge transaction and returns a deposit address. Nothing moves until you send the amount to it, from `fromAddress`. The tokens are then released to `toAddress`.',
  'bridge.status': 'Returns how far a bridge transaction is, and the transaction on the destination network.',
  'bridge.networks': 'Returns which networks each token can be moved between.',
  'bridge.history': 'Returns the bridge transactions of the account, one page at a time.',

  'wallets.get-fintech': 'Returns the account wallet and the external wallets that are registered.',
  'wallets.list-user':
    'Returns the wallets of a user on all networks, with their balances, and those that were created for onramps.',
  'wallets.add-external':
    'Only registered wallets can receive transfers of the account. The default wallet also receives the cNGN of deposits into the account’s own virtual account. An external wallet cannot be used for escrow.',
  'wallets.set-external-status': 'An inactive wallet stays registered but cannot receive transfers.',
  'wallets.remove-external': 'The wallet can no longer receive transfers. It can be registered again.',
  'wallets.migrate-users':
    'Creates wallets for users who have none. With `force`, it also replaces wallets; tokens at the replaced addresses are not moved.',
  'wallets.balance-multi': 'Reads the balance of one token on each network, from the networks themselves.',
  'wallets.balance-address': 'Reads the balance of one token at an address that need not belong to the account.',
  'wallets.balance-user': 'Reads the balance of one token in every wallet of a user.',

  'virtual-accounts.get':
    'Returns the one-time bank account of an onramp and the exact amount to pay. A payment of another amount, or after 30 minutes, is refunded.',
  'virtual-accounts.get-fintech':
    'Naira paid into this account is converted to cNGN for the account itself, without a limit on the amount. It never expires.',

  'banks.list-codes':
    'Returns every bank that can receive a payout, with its NIBSS code. It is a POST that only reads.',
  'banks.add':
    'Verifies the account with its bank and saves it as a destination of payouts. The account number and the bank cannot be changed later; add another account instead.',
  'banks.list': 'Returns every saved payout account and which one is the default.',
  'banks.get': 'Returns one payout account, as a list with one item.',
  'banks.update': 'Changes the name or the default. The account number and the bank cannot be changed.',
  'banks.delete': 'Removes a payout account for good. It is rejected while payouts to the account are pending.',

  'fees.get': 'Returns the account’s own fees. The platform’s fee is charged on top.',
  'fees.manage':
    'Sets the account’s fee on onramps, on offramps, or both. A direction that is left out does not change; one that is sent must be complete. Takes effect for later transactions.',
  'fees.preview': 'Returns the platform’s fee on an amount. It does not include the account’s own fee.',
  'fees.accumulated': 'Returns the fees that the account has earned, and how much of them can be withdrawn.',
  'fees.withdraw':
    'Pays earned fees to a bank account. Returns at once; settlement takes 1 to 3 business days. After a timeout the outcome is unknown: look for the withdrawal before you send another.',
  'fees.verify-withdrawal': 'Returns how far a fee withdrawal is.',
  'fees.withdrawal-history': 'Returns the latest fee withdrawals.',

  'fx.quote':
    'Returns a price for an amount and the orders it comes from. It is valid for 5 minutes and reserves nothing. A quote cannot match the account’s own orders.',
  'fx.trade':
    'Trades in one of three ways: by `quoteId`; by `pair`, `side` and `cngnAmount` at the prices of the order book; or by `orderId` and `cngnAmount` at the exact price of one order. The tokens are locked in escrow for up to 5 minutes until the trade is signed. Follow it with the trade status.',
  'fx.market-order':
    'Trades at once at the best prices of the order book, without a quote. The tokens are locked in escrow until the trade is signed, automatically or by hand. Follow it with the trade status.',
  'fx.trade-status': 'Returns how far a trade is. Trades send no events, so this is the way to learn how one ended.',
  'fx.list-trades': 'Returns the trades of the account, one page at a time.',
  'fx.create-order':
    'Offers to trade at a price. The order is backed by the balance of the account’s wallet, which is checked again when a trade matches. It stays on the book until it is paused or removed.',
  'fx.create-limit-order':
    'Offers to trade at a price, as `/fx/orders` does. Here `side` is about the stablecoin, and the spread is required.',
  'fx.update-limit-order':
    'Changes the price, the amounts or the spread of an order, or takes it off the book for a while.',
  'fx.delete-limit-order': 'Takes an order off the book for good.',
  'fx.list-limit-orders': 'Returns the account’s own orders, one page at a time.',
  'fx.orderbook': 'Returns the active orders of a pair, without saying whose they are.',
  'fx.orderbook-stats': 'Returns the best prices of a pair and how much can be traded.',
  'fx.orderbook-token': 'Returns a short-lived token with which a browser can follow the order book live.',
  'fx.register-mpc':
    'Gives the service access to the vault that keeps the account’s USDC and USDT, so that it can sign trades. The registration is pending until it is approved. The keys cannot be read again in full.',
  'fx.settings': 'Returns the vault, its token wallets and whether trades are signed automatically. Keys are masked.',
  'fx.auto-signing-enable': 'From then on, trades up to the threshold are signed without manual approval.',
  'fx.auto-signing-disable': 'From then on, every trade needs manual approval.',
  'fx.auto-signing-threshold':
    'Sets the value in US dollars up to which trades are signed automatically. 0 signs none.',
  'fx.auto-signing-status': 'Returns the auto-signing settings and what was signed today.',
  'fx.auto-signing-stats': 'Returns what was signed automatically on each day.',
  'management.autosigning-config':
    'Returns the limits of auto-signing in cNGN. The unit of the amounts is not documented.',

  'management.regenerate-api-key':
    'Replaces the API key. The old key stops working at once, and the new one is shown only in this response, so a lost response locks the account out. It is a GET that destroys: never repeat it automatically.',
  'management.create-sandbox-key':
    'Send it to the sandbox with the production key in `x-api-key`. The new key starts with `sandbox_`, is shown only once and works only in the sandbox.',
  'management.set-webhook':
    'Sets where events are delivered. It replaces the previous webhook, but a secret that is left out stays as it was.',
  'management.toggle-webhook': 'Stops or resumes delivery without changing the webhook.',
  'management.get-webhook': 'Returns the webhook. The URL is partly masked; the secret is never returned.',
  'management.store-public-key':
    'From then on, the service encrypts responses and events with this key. Without the private key, they cannot be read.',
  'management.get-platform-public-key': 'Returns the key that requests can be encrypted with (libsodium sealed boxes).',
  'management.get-aes-key':
    'Returns the key of the older encryption. Anyone who has it can sign events if no webhook secret is set.',
  'management.ip-allowlist':
    'Lists, checks, adds or removes entries, depending on `action`. Servers learn of a change within 30 seconds. If you remove the address that you call from, later requests are rejected.',
};
