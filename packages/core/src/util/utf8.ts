/** The bytes that a text takes in UTF-8, counted without encoding it. A lone surrogate counts as its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes++
    if (unit < 0x800) continue
    bytes++
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      i++
    }
  }
  return bytes
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** The UTF-8 size of a text that is longer than `limit` bytes; undefined for every other, mostly without counting. */
export function bytesBeyond(text: string, limit: number): number | undefined {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= limit) return undefined
  const bytes = utf8Length(text)
  return bytes > limit ? bytes : undefined
}
