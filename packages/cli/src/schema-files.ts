import { readFileSync } from 'node:fs'
import type { JsonSchema } from '@jetway/json-schema'

/** The source of a third-party schema. A test compares the digest with the file. */
export interface SchemaSource {
  readonly address: string
  readonly sha256: string
}

/**
 * The schema of `server.json`, under the MIT licence in `schemas/server.schema.notice.txt`. Never edit the
 * file: for a newer revision, replace it.
 */
export const SERVER_SCHEMA_SOURCE: SchemaSource = {
  address: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  sha256: '3fba09590c99f61735d234822279f4223fab9e300c0a81e81c91ab62a4114de0',
}

/** Reads the JSON Schema of `jetway.json`. It is a file of this package, because editors use it, too. */
export const jetwaySchema = (): JsonSchema => read('jetway')

/** Reads the JSON Schema of the registry's `server.json`. */
export const serverSchema = (): JsonSchema => read('server')

const read = (name: string): JsonSchema =>
  JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as JsonSchema
