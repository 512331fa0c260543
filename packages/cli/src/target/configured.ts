import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { askForInput } from '@jetway-apps/terminal'
import { ConfigFileError, loadConfig, type LoadedConfig, type ServerConfig } from '@jetway/client/config'
import { askerFor } from '../ask.ts'
import { CliError, usageError } from '../errors.ts'
import { HOSTS, thisPlace } from '../hosts.ts'
import type { Terminal } from '../terminal.ts'
import { unknownName } from './unknown-name.ts'

/** A server of `--config FILE`. Without `--server`, the only one. @throws CliError */
export async function findInConfig(
  file: string,
  server: string | undefined,
  terminal: Terminal,
): Promise<ServerConfig> {
  const loaded = await load(file, terminal)
  const names = Object.keys(loaded.servers)
  const [only] = names
  if (server === undefined && (only === undefined || names.length > 1))
    throw usageError(`${file} has ${names.length} servers`, `Name one: --server ${names.join(' or ')}`)
  return pick(loaded, server ?? only ?? '', file)
}

/** A server of a host, such as `cursor:weather`. @throws CliError */
export async function findInHost(name: string, server: string, terminal: Terminal): Promise<ServerConfig> {
  const host = HOSTS.find((one) => one.name === name)
  if (host === undefined)
    throw await unknownName(
      'The host',
      name,
      HOSTS.map((one) => one.name),
    )
  const files = host.files(thisPlace(terminal.streams.env)).filter((file) => existsSync(file))
  const known: string[] = []
  for (const file of files) {
    const loaded = await load(file, terminal)
    if (knows(loaded, server)) return pick(loaded, server, file)
    known.push(...Object.keys(loaded.servers))
  }
  throw await unknownName(`The server of ${name}`, server, known)
}

async function load(file: string, terminal: Terminal): Promise<LoadedConfig> {
  try {
    const { interactive } = terminal
    return await loadConfig(resolve(file), {
      env: terminal.streams.env,
      ...(interactive && { input: (input) => askerFor(terminal).use((asker) => askForInput(asker, input)) }),
    })
  } catch (error) {
    if (error instanceof ConfigFileError) throw new CliError('failed', error.message, { cause: error })
    throw error
  }
}

const knows = ({ servers, disabled, problems }: LoadedConfig, name: string): boolean =>
  Object.hasOwn(servers, name) ||
  disabled.includes(name) ||
  problems.some(({ severity, server }) => severity === 'error' && server === name)

async function pick(loaded: LoadedConfig, name: string, file: string): Promise<ServerConfig> {
  const found = Object.hasOwn(loaded.servers, name) ? loaded.servers[name] : undefined
  if (found !== undefined) return found
  if (loaded.disabled.includes(name))
    throw new CliError('failed', `The server ${name} is disabled in ${file}`)
  const problem = loaded.problems.find(({ server }) => server === name)
  if (problem !== undefined) throw new CliError('failed', `${problem.message} (${file})`)
  throw await unknownName('The server', name, Object.keys(loaded.servers))
}
