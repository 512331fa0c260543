import { usageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { isLocal } from '../hosts/host.ts'
import { HOSTS } from '../hosts/index.ts'
import type { ServerArguments } from './request.ts'
import { nameFor, remoteOrCommand } from './server.ts'

/** Prints Markdown with a badge for each host that supports links. @throws CliError `usage` */
export function printLinks({ values, positionals, rest }: ServerArguments, terminal: Terminal): void {
  const [word, unexpected] = positionals
  if (unexpected !== undefined) throw usageError('--links takes no host', 'Name the target only')
  const words = { word, rest, env: values.env ?? [], headers: values.header ?? [], dev: false }
  const server = remoteOrCommand(words)
  const name = nameFor(values.name, words)
  const links = HOSTS.flatMap((host) => {
    const { title, link } = host
    const entry = isLocal(server) ? host.local(server, name) : host.remote?.(server, name)
    return link === undefined || entry === undefined ? [] : [{ title, url: link(name, entry) }]
  })
  if (terminal.json) return terminal.printJson({ name, links })
  for (const { title, url } of links) terminal.print(badge(title, url))
}

function badge(title: string, url: string): string {
  const label = encodeURIComponent(`Install in ${title}`).replaceAll('-', '--')
  return `[![Install in ${title}](https://img.shields.io/badge/${label}-0098FF)](${url})`
}
