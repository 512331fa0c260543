import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isObject, type Tool } from '@jetway/core/protocol'
import type { ServerDetails } from '@jetway/client'
import { readBundle } from '../../bundle/read-bundle.ts'
import type { Arguments, OptionValues } from '../../command.ts'
import { fetchOffers, type Offers } from '../../list/offers.ts'
import { pngSize } from '../../project/png.ts'
import { findProject, type Project, readProject } from '../../project/project.ts'
import { readServerFile } from '../../project/running-server.ts'
import { checkRequired, type ENV_OPTION, givenValues, startValues } from '../../project/settings.ts'
import { readRegularFile } from '../../regular-file.ts'
import { documentOf } from '../../server-json/document.ts'
import { problemsOf } from '../../server-json/rules.ts'
import { withTarget } from '../../target/connect.ts'
import type { TargetOptions } from '../../target/options.ts'
import type { Terminal } from '../../terminal.ts'
import type { Facts, Image } from './facts.ts'

type Options = TargetOptions &
  typeof ENV_OPTION & { readonly bundle: { readonly type: 'string'; readonly help: string } }

interface Served {
  readonly project: Project
  readonly details: ServerDetails
  readonly offers: Offers
  readonly serves: 'stdio' | 'http'
  readonly url: string | undefined
}

/** Starts or contacts a server, and collects the information that the rules use. @throws CliError */
export async function gatherFacts(args: Arguments<Options>, terminal: Terminal): Promise<Facts> {
  const { project, details, offers, serves, url } = await readServed(args, terminal)
  const { packageJson, jetwayJson } = project
  const image = (path: string): Image => {
    const full = resolve(packageJson.folder, path)
    return { path, size: existsSync(full) ? pngSize(full) : undefined }
  }
  const readme = join(packageJson.folder, 'README.md')
  const { bundle } = args.values
  const document = documentOf(project, { details, offers, serves, definition: undefined }, undefined)
  return {
    packageJson,
    jetwayJson,
    title: details.info?.title ?? jetwayJson.title,
    website: details.info?.websiteUrl ?? jetwayJson.website ?? packageJson.homepage,
    tools: offers.tools,
    hasView: offers.tools.some(hasView),
    isInstalled: serves === 'stdio',
    url: url ?? jetwayJson.remotes?.[0]?.url,
    readme: existsSync(readme) ? readRegularFile(readme).toString() : undefined,
    manifest: bundle === undefined ? undefined : readBundle(bundle).manifest,
    icon: jetwayJson.icon === undefined ? undefined : image(jetwayJson.icon),
    screenshots: (jetwayJson.screenshots ?? []).map(image),
    // A bundle has no URL until it is released.
    registryProblems: problemsOf(document).filter(
      ({ rule }) => rule !== 'something-to-install' || bundle === undefined,
    ),
  }
}

/** Whether a tool has a view (MCP Apps extension). */
function hasView({ _meta: meta = {} }: Tool): boolean {
  return isObject(meta['ui']) && typeof meta['ui']['resourceUri'] === 'string'
}

async function readServed(args: Arguments<Options>, terminal: Terminal): Promise<Served> {
  const { values, positionals, rest } = args
  const [word] = positionals
  const isFile = values.config === undefined && rest === undefined && !/^https?:\/\//i.test(word ?? '')
  if (isFile) return readFile(word, values, terminal)
  const project = await readProject()
  return withTarget(args, terminal, async ({ client }) => {
    return {
      project,
      details: client.server as ServerDetails,
      offers: await fetchOffers(client),
      serves: word === undefined ? 'stdio' : 'http',
      url: word === undefined ? undefined : withoutQuery(word),
    }
  })
}

/** Removes the query, which may contain a secret, because findings print the URL. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

async function readFile(
  word: string | undefined,
  values: OptionValues<Options>,
  terminal: Terminal,
): Promise<Served> {
  const project = await findProject(word)
  const given = startValues(project.jetwayJson, givenValues(values.env, terminal.streams.env))
  checkRequired(project.jetwayJson, given)
  const note = (line: string): void => {
    if (!terminal.json) terminal.noteFromServer(line)
  }
  note(`Starting ${basename(project.file)}`)
  const running = await readServerFile({
    path: project.file,
    exportName: values.export,
    args: project.jetwayJson.args ?? [],
    env: given,
    stderr: note,
  })
  return { project, url: undefined, ...running }
}
