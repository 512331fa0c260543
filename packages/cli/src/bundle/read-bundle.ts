import { isObject } from '@jetway/core/protocol'
import { CliError } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import { readEntry } from './archive.ts'

/** A bundle that was read from a file. */
export interface BundleFile {
  readonly bytes: Uint8Array
  readonly manifest: Readonly<Record<string, unknown>>
}

/** Reads a bundle. @throws CliError `failed` */
export function readBundle(path: string): BundleFile {
  try {
    const bytes = readRegularFile(path)
    const entry = readEntry(bytes, 'manifest.json')
    const manifest = JSON.parse(new TextDecoder().decode(entry)) as unknown
    if (isObject(manifest)) return { bytes, manifest }
    throw new Error('its manifest.json is no object')
  } catch (error) {
    throw new CliError('failed', `${path} is no bundle: ${(error as Error).message}`, {
      cause: error,
      hint: 'Make one: jetway bundle',
    })
  }
}
