/** The text of a request before and after its id. */
export interface Message {
  readonly before: string
  readonly after: string
}

/** The revision of session requests. */
export const PROTOCOL_VERSION = '2025-11-25'

/** The revision of requests without a session. */
export const STANDING_VERSION = '2026-07-28'

/** The first id. All ids have seven digits, so that all responses to a request have the same size. */
export const FIRST_ID = 1_000_000
const LAST_ID = 9_999_999

/** Returns the next id. Starts again after the last seven-digit id. */
export function idCounter(): () => number {
  let id = FIRST_ID
  return () => (id === LAST_ID ? (id = FIRST_ID) : ++id)
}

export function message(method: string, params: object): Message {
  return {
    before: `{"jsonrpc":"2.0","id":`,
    after: `,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
  }
}

export const messageWith = ({ before, after }: Message, id: number): string => before + id + after

export const INITIALIZE: Message = message('initialize', {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
})

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
