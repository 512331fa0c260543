import { isObject } from '@jetway/core/protocol'
import { CliError } from '../errors.ts'
import { packageOf } from '../server-file/package.ts'

/** The information from an author's `package.json`. */
export interface PackageJson {
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly description: string | undefined
  readonly author: Author | undefined
  readonly licence: string | undefined
  /** The repository, with an https URL. */
  readonly repository: Repository | undefined
  readonly homepage: string | undefined
  readonly keywords: readonly string[]
  /** The range of `engines.node`. */
  readonly node: string | undefined
  /** The name in the registry, in reverse-DNS form. */
  readonly mcpName: string | undefined
  readonly isPrivate: boolean
  readonly hasBin: boolean
}

export interface Author {
  readonly name: string
  readonly email?: string
  readonly url?: string
}

export interface Repository {
  readonly url: string
  /** The folder of the package within the repository. */
  readonly folder?: string
}

/** Reads the nearest `package.json` above a file. @throws CliError `failed` */
export function readPackageJson(file: string): PackageJson {
  const found = packageOf(file)
  if (found === undefined)
    throw new CliError('failed', `No package.json that can be read is above ${file}`, {
      hint: 'Run npm init -y in the folder of the server',
    })
  const { folder, content } = found
  const required = (name: 'name' | 'version'): string => {
    const value = text(content[name])
    if (value !== undefined) return value
    throw new CliError('failed', `${folder}/package.json has no ${name}`, {
      hint: `Add it: npm pkg set ${name}=${name === 'version' ? '0.1.0' : 'my-server'}`,
    })
  }
  const engines = isObject(content['engines']) ? content['engines'] : {}
  const keywords = Array.isArray(content['keywords']) ? content['keywords'] : []
  return {
    folder,
    name: required('name'),
    version: required('version'),
    description: text(content['description']),
    author: authorOf(content['author']),
    licence: text(content['license']),
    repository: repositoryOf(content['repository']),
    homepage: text(content['homepage']),
    keywords: keywords.filter((word) => typeof word === 'string'),
    node: text(engines['node']),
    mcpName: text(content['mcpName']),
    isPrivate: content['private'] === true,
    hasBin: content['bin'] !== undefined,
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** npm also accepts a string: `Ann Example <ann@example.com> (https://example.com)`. */
function authorOf(value: unknown): Author | undefined {
  const parts = isObject(value)
    ? [value['name'], value['email'], value['url']]
    : (/^([^<(]+?)?\s*(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?$/.exec(text(value) ?? '')?.slice(1) ?? [])
  const [name, email, url] = parts.map(text)
  if (name === undefined) return undefined
  return { name, ...(email !== undefined && { email }), ...(url !== undefined && { url }) }
}

/** npm accepts `github:owner/name`, `owner/name`, and git URLs. */
function repositoryOf(value: unknown): Repository | undefined {
  const given = text(isObject(value) ? value['url'] : value)
  if (given === undefined) return undefined
  const [, host = 'github', path] = /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(given) ?? []
  const url =
    path === undefined
      ? given
          .replace(/^git\+/, '')
          .replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://')
          .replace(/^git@([^:]+):/, 'https://$1/')
          .replace(/\.git$/, '')
      : `https://${host}.${host === 'bitbucket' ? 'org' : 'com'}/${path}`
  const folder = isObject(value) ? text(value['directory']) : undefined
  return { url, ...(folder !== undefined && { folder }) }
}
