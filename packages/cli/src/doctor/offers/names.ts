import type { Offers } from '../../list/offers.ts'
import type { Finding } from '../finding.ts'
import { fault, ok, some, warning } from '../verdicts.ts'

/** The tool names that OpenAI and Anthropic accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_LENGTH = 64

/** Checks names with and without the prefix that a host adds, and detects duplicates. */
export function checkNames(offers: Offers, serverName: string | undefined): readonly Finding[] {
  const names = offers.tools.map(({ name }) => name)
  return [toolNames(names, serverName), ...duplicates(offers)]
}

function toolNames(names: readonly string[], serverName: string | undefined): Finding {
  const bad = names.filter((name) => !NAME.test(name))
  if (bad.length > 0)
    return fault(
      'tool-names',
      some(bad.map((name) => JSON.stringify(name))),
      'Rename them: model APIs accept a-z, A-Z, 0-9, _ and -, at most 64 of them',
    )
  const prefix = `mcp__${serverName ?? ''}__`
  const long = names.map((name) => prefix + name).filter(({ length }) => length > MAX_LENGTH)
  if (long.length === 0) return ok('tool-names', `${names.length} ${names.length === 1 ? 'name' : 'names'}`)
  return warning(
    'tool-names',
    `${some(long)}: ${Math.max(...long.map(({ length }) => length))} characters with the prefix of Claude`,
    'Shorten the names of the server and its tools: together they may have 64 characters',
  )
}

function duplicates({ tools, prompts, resources }: Offers): readonly Finding[] {
  const twice = [
    ...repeated(tools.map(({ name }) => name)).map((name) => `tool ${name}`),
    ...repeated(prompts.map(({ name }) => name)).map((name) => `prompt ${name}`),
    ...repeated(resources.map(({ uri }) => uri)).map((uri) => `resource ${uri}`),
  ]
  const similar = similarNames(tools.map(({ name }) => name))
  if (twice.length > 0)
    return [fault('duplicate-names', `twice in a list: ${some(twice)}`, 'Give each a name that no other has')]
  if (similar.length > 0)
    return [
      warning(
        'duplicate-names',
        `${some(similar)}: they differ only in case`,
        'Rename one of them: models mix up such names',
      ),
    ]
  return [ok('duplicate-names', 'none')]
}

function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return [...new Set(names.filter((name) => seen.has(name) || !seen.add(name)))]
}

function similarNames(names: readonly string[]): readonly string[] {
  const byLower = new Map<string, Set<string>>()
  for (const name of names) {
    const lower = name.toLowerCase()
    byLower.set(lower, (byLower.get(lower) ?? new Set()).add(name))
  }
  return [...byLower.values()].filter(({ size }) => size > 1).map((group) => [...group].join(' and '))
}
