import type { Ajv, Options } from 'ajv'

declare const library: {
  readonly version: string
  create(dialect: 'draft-2020-12' | 'draft-2019-09' | 'draft-07', options: Options): Ajv
}
export = library
