import type { Ajv, Options, ValidateFunction } from 'ajv'
import type { Dialect } from '../convert/dialect.ts'

export type { Ajv, Options, ValidateFunction }

/** Makes an instance of ajv for a dialect. */
export type CreateAjv = (dialect: Dialect, options: Options) => Ajv

/** What `ajv-library.cjs` exports. */
export interface AjvLibrary {
  readonly version: string
  readonly create: CreateAjv
}
