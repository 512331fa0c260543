import { silent } from '@jetway-apps/test-support'
import { McpServer, type ServerOptions } from '@jetway/core'
import { onTestFinished } from 'vitest'

/** Creates a server that logs nothing, and closes when the test ends. */
export function create(name: string, options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name, version: '1.0.0' }, { logger: silent, ...options })
  onTestFinished(() => server.close({ deadline: 0 }))
  return server
}

/** Returns the text of a result's first block. */
export const textOf = (result: { readonly content: readonly object[] }): string | undefined =>
  result.content[0] !== undefined && 'text' in result.content[0] ? String(result.content[0].text) : undefined

/** A logger that keeps the fields and messages of warnings and errors. */
export function keepLines(): {
  readonly lines: readonly (readonly [message: string, fields: object])[]
  readonly logger: typeof silent
} {
  const lines: (readonly [string, object])[] = []
  const keep = (fields: object, message: string): void => void lines.push([message, fields])
  return { lines, logger: { ...silent, warn: keep, error: keep } }
}
