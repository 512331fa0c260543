import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { readRegularFile } from '../regular-file.ts'
import type { InstalledPackage } from './installed-package.ts'

/** The licences of the packages in a bundle. */
export interface Licences {
  /** The content of `THIRD-PARTY-LICENSES.txt`. */
  readonly text: string
  /** The packages without a licence file. */
  readonly missing: readonly string[]
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i
const NOT_TEXT = /\.(?:[cm]?[jt]sx?|json|map)$/i

/**
 * Collects the licence texts of packages, because licences require a notice in each copy, and bundling
 * removes it. Packages with the same text are listed together.
 */
export function collectLicences(packages: readonly InstalledPackage[]): Licences {
  const missing: string[] = []
  const byText = new Map<string, string[]>()
  for (const one of packages.toSorted(byName)) {
    const title = `${one.name} ${one.version}${one.licence === undefined ? '' : ` (${one.licence})`}`
    const text = licenceText(one.folder)
    if (text === '') missing.push(`${one.name}@${one.version}`)
    const shared = byText.get(text)
    if (shared === undefined) byText.set(text, [title])
    else shared.push(title)
  }
  const parts = [...byText].map(([text, titles]) =>
    [...titles, '', text === '' ? 'The package has no licence file.' : text].join('\n'),
  )
  const head = 'This bundle contains the following packages.'
  return { text: `${[head, ...parts].join(`\n\n${'-'.repeat(72)}\n\n`)}\n`, missing }
}

const byName = (a: InstalledPackage, b: InstalledPackage): number => {
  const [one, other] = [`${a.name}@${a.version}`, `${b.name}@${b.version}`]
  return one < other ? -1 : one > other ? 1 : 0
}

function licenceText(folder: string): string {
  return licenceFiles(folder)
    .map((path) => readRegularFile(path).toString().replaceAll('\r\n', '\n').trim())
    .join('\n\n')
}

/** Lists the licence files of a package. A workspace package may use the licence of its repository. */
function licenceFiles(folder: string): readonly string[] {
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name) && !NOT_TEXT.test(entry.name))
    .map(({ name }) => join(folder, name))
    .toSorted()
  const isInstalled = folder.split(sep).includes('node_modules')
  const isTop = existsSync(join(folder, '.git')) || folder === dirname(folder)
  return found.length > 0 || isInstalled || isTop ? found : licenceFiles(dirname(folder))
}
