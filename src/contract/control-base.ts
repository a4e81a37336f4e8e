/**
 * The sandbox's own controls, under /_sandbox and outside /v1. They simulate the banks and chains around the service and
 * move its clock. They are not part of the service's specification.
 */
export const control = {
  area: 'control',
  errors: [],
  rateLimit: { max: 1_000_000, windowSeconds: 60 },
  source: 'inferred',
} as const;
