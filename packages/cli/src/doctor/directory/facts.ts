import type { Tool } from '@jetway/core/protocol'
import type { JetwayJson } from '../../project/jetway-json.ts'
import type { PackageJson } from '../../project/package-json.ts'
import type { ImageSize } from '../../project/png.ts'

/** An image that `jetway.json` names. */
export interface Image {
  readonly path: string
  /** Undefined if the file is missing, or is no PNG. */
  readonly size: ImageSize | undefined
}

/** What the rules of directories read. */
export interface Facts {
  readonly packageJson: PackageJson
  readonly jetwayJson: JetwayJson
  /** The name for people. */
  readonly title: string | undefined
  readonly website: string | undefined
  /** The tools as the server sends them: a hint that is missing is not `false`. */
  readonly tools: readonly Tool[]
  /** Whether the server has a tool with a view. */
  readonly hasView: boolean
  /** Whether users install the server, as a bundle. A server may have an address, too. */
  readonly isInstalled: boolean
  /** The address, if the server is served over HTTP: that of the command line, or the first of `jetway.json`. */
  readonly url: string | undefined
  readonly readme: string | undefined
  /** The manifest of the bundle, if the command line names one. */
  readonly manifest: Readonly<Record<string, unknown>> | undefined
  readonly icon: Image | undefined
  readonly screenshots: readonly Image[]
  /** What the registry would refuse. */
  readonly registryProblems: readonly {
    readonly rule: string
    readonly text: string
    readonly advice: string
  }[]
}
