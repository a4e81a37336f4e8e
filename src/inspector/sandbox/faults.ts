import { refusalsOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints/index.ts';
import { EVENTS } from '../../contract/events.ts';
import { ANY_WEBHOOK, FAULT_MEANINGS, type FaultKind, REQUEST_FAULTS, WEBHOOK_FAULTS } from '../../contract/sandbox.ts';
import { PAYOUT_ENDPOINTS } from '../../service/fault-rules.ts';

/** Where a fault can be added, and what is meant by it. */
interface FaultTarget {
  readonly id: string;
  readonly what: string;
  /** The rejections that it has, for a fault of kind reject. */
  readonly names?: readonly string[];
}

/** What can be chosen for a fault: each kind with what it does, and the targets that it has. */
interface FaultChoices {
  readonly kinds: readonly {
    readonly kind: FaultKind;
    readonly does: string;
    readonly on: keyof FaultChoices['targets'];
  }[];
  readonly targets: Readonly<Record<'requests' | 'payouts' | 'webhooks', readonly FaultTarget[]>>;
}

const onOf = (kind: FaultKind) => (kind === 'payout-fails' ? 'payouts' : 'requests');

/** Everything that the control of faults takes, from the contract. */
export function faultChoices(): FaultChoices {
  const requests = endpoints.map((each): FaultTarget => {
    const { id, summary } = each;
    return { id, what: summary, names: [...new Set(refusalsOf(each).map(({ name }) => name))] };
  });
  return {
    kinds: [
      ...REQUEST_FAULTS.map(
        (kind) => ({ kind, does: FAULT_MEANINGS[kind].replace(' of --name', ''), on: onOf(kind) }) as const,
      ),
      ...WEBHOOK_FAULTS.map((kind) => ({ kind, does: FAULT_MEANINGS[kind], on: 'webhooks' }) as const),
    ],
    targets: {
      requests,
      payouts: requests.filter(({ id }) => PAYOUT_ENDPOINTS.some((each) => each === id)),
      webhooks: [
        { id: ANY_WEBHOOK, what: 'any event' },
        ...EVENTS.map(({ name, means }) => ({ id: name, what: means })),
      ],
    },
  };
}
