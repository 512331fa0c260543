import { existsSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import type { ConfigInput, ServerConfig } from '@jetway/client/config'
import { loadConfig } from '@jetway/client/config'
import { UsageError } from '../errors.ts'
import { resolveCommand } from './resolve-command.ts'

export interface TargetsOptions {
  /** Asks the user for an input that a configuration file requires. */
  readonly input: (input: ConfigInput) => Promise<string | undefined>
  /** Called with each problem in a configuration file. */
  readonly warn: (text: string) => void
}

/**
 * Returns the configuration of each server on the command line, under unique names.
 *
 * @throws UsageError, and ConfigFileError
 */
export async function resolveTargets(
  targets: readonly string[],
  options: TargetsOptions,
): Promise<Readonly<Record<string, ServerConfig>>> {
  const servers = new Map<string, ServerConfig>()
  for (const target of targets)
    for (const [name, config] of await serversIn(target, options))
      servers.set(uniqueName(name, servers), config)
  return Object.fromEntries(servers)
}

type NamedServer = readonly [name: string, config: ServerConfig]

async function serversIn(target: string, { input, warn }: TargetsOptions): Promise<readonly NamedServer[]> {
  // `URL.canParse` would also accept Windows paths such as c:\server.ts.
  if (/^https?:\/\//i.test(target)) return [[nameOfUrl(target), { url: target }]]
  const path = resolve(target)
  if (!existsSync(path)) throw new UsageError(`The file ${target} does not exist`)
  if (!['.json', '.jsonc'].includes(extname(path).toLowerCase()))
    return [[nameOfScript(path), resolveCommand(path)]]
  const { servers, problems, disabled } = await loadConfig(path, { input })
  for (const { message } of problems) warn(message)
  if (disabled.length > 0) warn(`Disabled in ${target}: ${disabled.join(', ')}`)
  return Object.entries(servers)
}

function nameOfUrl(target: string): string {
  if (!URL.canParse(target))
    throw new UsageError(`${target} is not a valid URL. Use one such as http://127.0.0.1:3000/mcp`)
  return toServerName(new URL(target).hostname)
}

/** File and folder names that do not identify a server. The parent folder's name is used instead. */
const GENERIC_NAMES: readonly string[] = ['main', 'index', 'server', 'src', 'dist', 'build', 'lib', 'app']

function nameOfScript(path: string): string {
  let folder = dirname(path)
  let name = basename(path, extname(path))
  while (GENERIC_NAMES.includes(name) && basename(folder) !== '') {
    name = basename(folder)
    folder = dirname(folder)
  }
  return toServerName(name)
}

/** Server names become part of tool names, in which the model APIs accept only letters, digits, `_` and `-`. */
const toServerName = (name: string): string =>
  name.replaceAll(/[^a-zA-Z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'server'

function uniqueName(name: string, servers: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let count = 2; servers.has(free); count++) free = `${name}-${count}`
  return free
}
