import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readOpenApi } from '../../src/file/index.ts'

const require = createRequire(import.meta.url)
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

/** A real document. */
export interface RealDocument {
  readonly name: string
  readonly document: object
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        /\.(?:json|ya?ml)$/.test(path) && !/(?:^|\/)(?:package|tsconfig[^/]*)\.json$|node_modules/.test(path),
    )
    .map((path) => join(folder, path))
    .toSorted()
}

async function readAll(name: string, paths: readonly string[]): Promise<RealDocument[]> {
  const read = paths.map(async (path) => ({
    name: `${name}/${relative(folderOf(name), path)}`,
    document: await readOpenApi(path),
  }))
  const all = await Promise.all(read)
  return all.filter(({ document }) => 'paths' in document && ('openapi' in document || 'swagger' in document))
}

/** The examples of ReadMe: versions 2.0, 3.0 and 3.1, with every feature, and with documents that are wrong. */
export const examples = (): Promise<RealDocument[]> => {
  const name = '@readme/oas-examples'
  return readAll(name, filesIn(folderOf(name)))
}

export const figma = async (): Promise<object> => {
  const folder = folderOf('@figma/rest-api-spec')
  const path = filesIn(folder).find((file) => /openapi\.ya?ml$/.test(file))
  return readOpenApi(path as string)
}

/** The document of GitHub, which `.ci/github-openapi.mjs` fetches. */
export const github = (): Promise<object> => {
  const cache = new URL('../../../../node_modules/.cache/jetway/23.0.2/api.github.com.json', import.meta.url)
  return readOpenApi(fileURLToPath(cache))
}
