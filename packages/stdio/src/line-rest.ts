import { Buffer } from 'node:buffer'

const BLOCK_BYTES = 64 * 1024

/**
 * Collects the bytes of an incomplete line in blocks. Joining the chunks would take quadratic time, and
 * keeping them could retain 64 KiB for a few bytes.
 */
export class LineRest {
  #blocks: Buffer[] = []
  /** The number of bytes used in the last block. */
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    let from = 0
    while (from < bytes.length) {
      const block = this.#block(bytes.length - from)
      const take = Math.min(block.length - this.#used, bytes.length - from)
      block.set(bytes.subarray(from, from + take), this.#used)
      this.#used += take
      this.#length += take
      from += take
    }
  }

  /** Returns the bytes, and clears the rest. The bytes are valid until the next `append`. */
  take(): Buffer {
    const [first] = this.#blocks
    const bytes =
      this.#blocks.length === 1 && first !== undefined
        ? first.subarray(0, this.#length)
        : Buffer.concat(this.#blocks, this.#length)
    this.clear()
    return bytes
  }

  clear(): void {
    this.#blocks = this.#blocks.filter((block, index) => index === 0 && block.length === BLOCK_BYTES)
    this.#used = 0
    this.#length = 0
  }

  #block(wanted: number): Buffer {
    const last = this.#blocks.at(-1)
    if (last !== undefined && this.#used < last.length) return last
    const block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, wanted))
    this.#blocks.push(block)
    this.#used = 0
    return block
  }
}
