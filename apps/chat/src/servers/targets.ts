import { existsSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import type { ConfigInput, ServerConfig } from '@jetway/client/config'
import { loadConfig } from '@jetway/client/config'
import { UsageError } from '../errors.ts'
import { resolveCommand } from './resolve-command.ts'

export interface TargetsOptions {
  /** Asks the user for what a configuration file leaves to them. */
  readonly input: (input: ConfigInput) => Promise<string | undefined>
  /** Told of what a configuration file has and cannot be used. */
  readonly warn: (text: string) => void
}

/**
 * The servers that a command line names, by names of their own.
 *
 * @throws UsageError, and ConfigFileError
 */
export async function serversOf(
  targets: readonly string[],
  options: TargetsOptions,
): Promise<Readonly<Record<string, ServerConfig>>> {
  const servers = new Map<string, ServerConfig>()
  for (const target of targets)
    for (const [name, config] of await serversIn(target, options)) servers.set(unused(name, servers), config)
  return Object.fromEntries(servers)
}

type Named = readonly [name: string, config: ServerConfig]

async function serversIn(target: string, { input, warn }: TargetsOptions): Promise<readonly Named[]> {
  // On Windows a path may begin like a URL, with its drive.
  if (/^https?:\/\//i.test(target)) return [[nameOfAddress(target), { url: target }]]
  const path = resolve(target)
  if (!existsSync(path)) throw new UsageError(`There is no file ${target}`)
  if (!['.json', '.jsonc'].includes(extname(path).toLowerCase()))
    return [[nameOfScript(path), resolveCommand(path)]]
  const { servers, problems, disabled } = await loadConfig(path, { input })
  for (const { message } of problems) warn(message)
  if (disabled.length > 0) warn(`Switched off in ${target}: ${disabled.join(', ')}`)
  return Object.entries(servers)
}

function nameOfAddress(target: string): string {
  if (!URL.canParse(target))
    throw new UsageError('An address is a whole URL, such as http://127.0.0.1:3000/mcp')
  return plain(new URL(target).hostname)
}

/** Names that say nothing of a server: the folder around it does. */
const MEANINGLESS: readonly string[] = ['main', 'index', 'server', 'src', 'dist', 'build', 'lib', 'app']

function nameOfScript(path: string): string {
  let folder = dirname(path)
  let name = basename(path, extname(path))
  while (MEANINGLESS.includes(name) && basename(folder) !== '') {
    name = basename(folder)
    folder = dirname(folder)
  }
  return plain(name)
}

/** Part of the tools' names, which models take letters, digits, `_` and `-` in. */
const plain = (name: string): string =>
  name.replaceAll(/[^a-zA-Z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'server'

function unused(name: string, servers: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let count = 2; servers.has(free); count++) free = `${name}-${count}`
  return free
}
