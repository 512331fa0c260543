import { askerFor } from '../ask.ts'
import { usageError } from '../errors.ts'
import { findHost } from '../hosts/find-host.ts'
import type { Host } from '../hosts/host.ts'
import { HOSTS } from '../hosts/index.ts'
import { thisPlace } from '../hosts/place.ts'
import { isPresent } from '../hosts/presence.ts'
import { windowsSide } from '../hosts/wsl.ts'
import type { Terminal } from '../terminal.ts'

export interface HostAndWords {
  readonly host: Host
  /** The remaining arguments. */
  readonly words: readonly string[]
}

/** Finds the host that the first word names, or asks the user for it. @throws CliError `usage` */
export async function hostOf(positionals: readonly string[], terminal: Terminal): Promise<HostAndWords> {
  const [id, ...words] = positionals
  // Files and URLs contain a dot or a colon, whereas names of hosts do not.
  if (id !== undefined && /^[\w-]+$/.test(id)) return { host: await findHost(id), words }
  return { host: await askForHost(terminal), words: positionals }
}

const idsOf = (hosts: readonly Host[]): string => hosts.map(({ id }) => id).join(', ')

async function askForHost(terminal: Terminal): Promise<Host> {
  const place = thisPlace(terminal.streams.env)
  const windows = windowsSide(place)?.place
  const present = HOSTS.filter(
    (host) => isPresent(host, place) || (windows !== undefined && isPresent(host, windows)),
  )
  const choices = present.length === 0 ? HOSTS : present
  const none = usageError(
    'There is no host',
    present.length === 0 ? `Name one of: ${idsOf(HOSTS)}` : `This machine has: ${idsOf(present)}`,
  )
  if (!terminal.interactive) throw none
  const lines = choices.map(({ title }, at) => `  ${at + 1} ${title}\n`)
  const answer = await askerFor(terminal).use((asker) => asker.ask(`Which host?\n${lines.join('')}> `))
  const text = answer?.trim().toLowerCase() ?? ''
  const chosen =
    choices[Number(text) - 1] ?? HOSTS.find(({ id, title }) => [id, title.toLowerCase()].includes(text))
  if (chosen === undefined) throw none
  return chosen
}
