/** Pieces that are joined at once. */
const BLOCK = 1_024

/**
 * Text whose end has not arrived. Adding string to string would keep a node for each piece, and a server may send its
 * characters one by one.
 */
export class TextRest {
  #blocks: string[] = []
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
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

  /** All of it, with its end; nothing is left. */
  take(end: string): string {
    if (this.#length === 0) return end
    const text = this.#blocks.join('') + this.#pieces.join('') + end
    this.#blocks = []
    this.#pieces = []
    this.#length = 0
    return text
  }
}
