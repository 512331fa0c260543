const ANSWER = /"id":(\d+),"(result|error)"/g
/** The length of text that is searched again with the next chunk. It is longer than any match of the expression. */
const OVERLAP = 60

/** Collects the responses from the text received on a connection, which may be too long for one string. */
export class Answers {
  readonly #kinds: Map<number, 'result' | 'error'>
  readonly #twice: number[]
  #tail = ''

  /** @param all - the responses from other connections */
  constructor(all?: Answers) {
    this.#kinds = all === undefined ? new Map() : all.#kinds
    this.#twice = all === undefined ? [] : all.#twice
  }

  push(text: string): void {
    const known = this.#tail.length
    const searched = this.#tail + text
    for (const { 0: found, 1: id, 2: kind, index } of searched.matchAll(ANSWER)) {
      if (index + found.length <= known) continue
      if (this.#kinds.has(Number(id))) this.#twice.push(Number(id))
      this.#kinds.set(Number(id), kind as 'result' | 'error')
    }
    this.#tail = searched.slice(-OVERLAP)
  }

  get count(): number {
    return this.#kinds.size
  }
  /** The ids for which there is more than one response. */
  get twice(): readonly number[] {
    return this.#twice
  }
  get ids(): readonly number[] {
    return [...this.#kinds.keys()].toSorted((a, b) => a - b)
  }
  /** The number of results. All other responses are errors. */
  get results(): number {
    return [...this.#kinds.values()].filter((kind) => kind === 'result').length
  }
}
