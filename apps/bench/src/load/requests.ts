/** A request whose id is still to be filled in, as the text before and after it. */
export interface Message {
  readonly before: string
  readonly after: string
}

/** The revision that the load speaks. */
export const PROTOCOL_VERSION = '2025-11-25'

/** The revision of requests that stand for themselves. */
export const STANDING_VERSION = '2026-07-28'

/** Ids have seven digits throughout, so that all answers to a request weigh the same. */
export const FIRST_ID = 1_000_000
const LAST_ID = 9_999_999

/** Counts ids up, and starts over when the digits are used up. */
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
