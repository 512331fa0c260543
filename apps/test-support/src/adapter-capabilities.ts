/** Every capability in the adapter contract, for hosts that support all of them. */
export const EVERY_CAPABILITY = [
  'headers',
  'routes',
  'parsedBody',
  'locals',
  'auth',
  'rawHeaders',
  'peer',
  'pipelining',
  'legacySse',
  'documents',
  'prefix',
] as const
