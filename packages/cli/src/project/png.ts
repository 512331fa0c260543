import { readRegularFile } from '../regular-file.ts'

/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

const SIGNATURE = '89504e470d0a1a0a'
const HEAD_BYTES = 24

/** Reads the size of a PNG from its head. Returns undefined for other files. https://www.w3.org/TR/png-3/#11IHDR */
export function pngSize(path: string): ImageSize | undefined {
  const head = readRegularFile(path, HEAD_BYTES)
  if (head.length < HEAD_BYTES || head.subarray(0, 8).toString('hex') !== SIGNATURE) return undefined
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}
