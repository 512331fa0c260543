import process from 'node:process'
import type { Locals } from './server.ts'

/** Bun and Deno also report a Node version, so their own versions are checked first. */
export function runtimeOfProcess(): Locals['runtime'] {
  const { bun, deno, node } = process.versions
  if (bun !== undefined) return { name: 'bun', version: bun }
  if (deno !== undefined) return { name: 'deno', version: deno }
  return { name: 'node', version: node }
}
