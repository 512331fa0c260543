import { dirname, join } from 'node:path'
import { isObject } from '@jetway/core/protocol'
import { readRegularFile } from '../regular-file.ts'

export interface Package {
  readonly folder: string
  readonly content: Readonly<Record<string, unknown>>
}

/** Finds the nearest `package.json` above a file. */
export function packageOf(path: string): Package | undefined {
  const folder = dirname(path)
  try {
    const content = JSON.parse(readRegularFile(join(folder, 'package.json')).toString()) as unknown
    return isObject(content) ? { folder, content } : undefined
  } catch {
    return folder === dirname(folder) ? undefined : packageOf(folder)
  }
}
