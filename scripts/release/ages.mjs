/**
 * Lists facts from other sites that were last checked more than 90 days ago, because those pages change.
 * Examples are the rules of directories and the versions of actions. Each fact has its date next to it, such
 * as `read: '2026-11-27'`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const DAY_MS = 86_400_000
const MAX_DAYS = 90

/**
 * @param {string} text @param {number} now @returns {{ line: number, read: string, days: number }[]} the
 * facts that are too old
 */
export function oldFacts(text, now) {
  return text.split('\n').flatMap((line, index) => {
    const [, read] = /\bread["']?: ["'](\d{4}-\d{2}-\d{2})["']/.exec(line) ?? []
    if (read === undefined) return []
    const days = Math.floor((now - Date.parse(read)) / DAY_MS)
    return days > MAX_DAYS ? [{ line: index + 1, read, days }] : []
  })
}

function main() {
  const rules = join(root, 'packages', 'cli', 'src', 'doctor', 'directory')
  const files = [
    join(root, 'scripts', 'actions.json'),
    ...(existsSync(rules) ? readdirSync(rules).map((name) => join(rules, name)) : []),
  ]
  let count = 0
  for (const file of files)
    for (const { line, read, days } of oldFacts(readFileSync(file, 'utf8'), Date.now())) {
      console.log(`${relative(root, file)}:${line}: read on ${read}, ${days} days ago`)
      count += 1
    }
  console.log(`${count} facts were read more than ${MAX_DAYS} days ago`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
