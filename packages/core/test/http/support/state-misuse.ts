import type { McpServer } from '../../../src/index.ts'
import { elicit } from '../../../src/call/input/question.ts'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import type { RequestStateOptions } from '../../../src/call/input/request-state.ts'
import type { SharedStores } from '../../../src/stores/shared-stores.ts'
import { type Answer, createHarness, type Harness } from './harness.ts'
import { accept, bytesOf, type Round, sendRound, stateOf } from './rounds.ts'

export const KEY: Uint8Array = new Uint8Array(32).fill(7)
export const OTHER_KEY: Uint8Array = new Uint8Array(32).fill(8)
const OK = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const

export interface Guarded {
  readonly harness: Harness
  /** Returns how many handlers have run to their end. */
  readonly done: () => number
}

/** Creates a server with two tools and a prompt that ask the same question and count their runs. */
export function guarded(
  state: RequestStateOptions = { keys: [KEY] },
  name = 'test',
  shared?: SharedStores,
): Guarded {
  let done = 0
  const asks = { confirm: () => elicit('Sure?', OK) }
  const handler = (): string => `done ${++done}`
  const setUp = (server: McpServer): void => {
    server.addTool({ name: 'pay', inputSchema: { type: 'object' }, asks, handler })
    server.addTool({ name: 'erase', inputSchema: { type: 'object' }, asks, handler })
    server.addPrompt({
      name: 'pay',
      handler: (_args, { inputs }) =>
        inputs.has('confirm') ? handler() : inputRequired({ confirm: elicit('Sure?', OK) }),
    })
  }
  const server = { requestState: state, ...(shared && { shared }) }
  const harness = createHarness({ server, info: { name, version: '1' }, setUp })
  return { harness, done: () => done }
}

/** The call whose state is misused: Alice pays 5. */
export const PAY: Round = {
  params: { name: 'pay', arguments: { amount: 5, to: ['x'] } },
  more: { auth: { principal: 'alice' } },
}
export const CONFIRMED: object = { confirm: accept({ ok: true }) }

export const begin = async ({ harness }: Guarded, round: Round = PAY): Promise<string> =>
  stateOf(await sendRound(harness, round))

export const present = ({ harness }: Guarded, state: unknown, round: Partial<Round> = {}): Promise<Answer> =>
  sendRound(harness, { ...PAY, ...round, responses: CONFIRMED, state })

/** Returns the server's reply to a state that it did not create. */
export const refusal = async (server: Guarded): Promise<string> => bytesOf(await present(server, 'x'))

type Mutation = (state: string, random: () => number, other: string) => string

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const STRANGE = ['=', '+', '/', ' ', '\n', '.', '%3D', '\u0000', '\ud800', 'é', '"', 'null', '-TAMPERED']
const upTo = (random: () => number, end: number): number => Math.floor(random() * end)
const pick = <T>(random: () => number, from: ArrayLike<T>): T => from[upTo(random, from.length)] as T

/** Ways in which a state can be changed. */
const MUTATIONS: readonly Mutation[] = [
  // Replaces one character, which changes up to six bits of the nonce, the sealed text or the tag.
  (state, random) => {
    const at = upTo(random, state.length)
    return state.slice(0, at) + pick(random, ALPHABET) + state.slice(at + 1)
  },
  // Flips one bit, and encodes the result again.
  (state, random) => {
    const bytes = Buffer.from(state, 'base64url')
    const at = upTo(random, bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << upTo(random, 8))
    return bytes.toString('base64url')
  },
  (state, random) => state.slice(0, upTo(random, state.length)),
  (state, random) => state.slice(1 + upTo(random, state.length - 1)),
  (state, random) => {
    const at = upTo(random, state.length)
    return state.slice(0, at) + pick(random, ALPHABET) + state.slice(at)
  },
  (state, random) => {
    const at = upTo(random, state.length)
    return state.slice(0, at) + state.slice(at + 1 + upTo(random, 8))
  },
  (state, random) => {
    const at = upTo(random, state.length + 1)
    return state.slice(0, at) + pick(random, STRANGE) + state.slice(at)
  },
  // Splices two valid states.
  (state, random, other) => {
    const at = 1 + upTo(random, state.length - 1)
    return state.slice(0, at) + other.slice(at)
  },
  (state, random) => {
    const from = upTo(random, state.length)
    const to = from + upTo(random, state.length - from)
    return state.slice(0, from) + state.slice(from, to).split('').toReversed().join('') + state.slice(to)
  },
  (state, random) => state.repeat(2 + upTo(random, 200)).slice(0, 40_000),
  (state) => Buffer.from(state, 'base64url').toString('base64'),
  (state) => state.toLowerCase(),
  // Encodes the same bytes with different unused bits.
  (state) => {
    const last = ALPHABET.indexOf(state.at(-1) as string)
    return state.length % 4 === 0 ? `${state}==` : state.slice(0, -1) + (ALPHABET[last ^ 1] as string)
  },
]

/** Sends many tampered states, some of them with changed answers. */
export async function tryMutations(count: number, random: () => number) {
  const server = guarded()
  const [state, other] = [await begin(server), await begin(server)]
  const seen = new Set<string>()
  let tried = 0
  while (tried < count) {
    let mutated = state
    for (let i = 0; i <= upTo(random, 3); i++)
      mutated = pick(random, MUTATIONS)(mutated || 'x', random, other)
    if (mutated === state || mutated === other) continue
    tried++
    seen.add(bytesOf(await present(server, mutated)))
  }
  return { tried, through: server.done(), seen }
}
