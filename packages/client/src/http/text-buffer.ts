const BLOCK = 1_024

/**
 * Collects chunks of text. Joining them with `+` would keep an object in memory for each chunk, and a server
 * may send single characters as chunks.
 */
export class TextBuffer {
  #blocks: string[] = []
  #pieces: string[] = []
  #length = 0

  /** The length in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  append(piece: string): void {
    if (piece === '') return
    this.#length += piece.length
    if (this.#pieces.push(piece) < BLOCK) return
    this.#blocks.push(this.#pieces.join(''))
    this.#pieces = []
  }

  /** Returns the whole text and empties the buffer. */
  take(end: string): string {
    if (this.#length === 0) return end
    // Strings joined with `+` are copied again when they are read.
    const text = [...this.#blocks, ...this.#pieces, end].join('')
    this.#blocks = []
    this.#pieces = []
    this.#length = 0
    return text
  }
}
