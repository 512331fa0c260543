import { type RequestId, resultFrame } from '../protocol/jsonrpc.ts'
import type { SerializedResult } from './result.ts'

/** Characters of a prepared result from which on its bytes are kept: below, one text costs less than two arrays. */
const LARGE = 8_192
const CLOSE = '}'.charCodeAt(0)
const encoder = new TextEncoder()

export const isLarge = ({ json }: SerializedResult): boolean => json.length >= LARGE

/**
 * The answer to one of many who ask for the same large result, which is encoded once for all of them: putting their ids
 * around the text would have it copied, measured and encoded anew for each.
 */
export class LargeAnswer {
  readonly #id: RequestId
  /** What goes before the members of the result: `{`, and what its revision puts into every result. */
  readonly #head: string
  readonly #result: SerializedResult

  /** @param empty the text of a result without members, as the revision has it */
  constructor(id: RequestId, empty: string, result: SerializedResult) {
    this.#id = id
    this.#head = empty === '{}' ? '{' : `${empty.slice(0, -1)},`
    this.#result = result
  }

  get frame(): string {
    return resultFrame(this.#id, this.#head + this.#result.json.slice(1))
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const before = encoder.encode(resultFrame(this.#id, this.#head).slice(0, -1))
    const members = this.#result.bytes.subarray(1)
    const whole = new Uint8Array(before.length + members.length + 1)
    whole.set(before)
    whole.set(members, before.length)
    whole[whole.length - 1] = CLOSE
    return whole
  }
}
