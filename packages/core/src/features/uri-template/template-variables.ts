/** One variable: its name, the type of its value, and whether a URI may omit it. */
type Variable = readonly [name: string, value: string | string[], presence: 'required' | 'optional']

type OneVariable<Text extends string, Presence extends Variable[2]> = Text extends `${infer Name}*`
  ? readonly [Name, string[], Presence]
  : Text extends `${infer Name}:${string}`
    ? readonly [Name, string, Presence]
    : readonly [Text, string, Presence]

// Both recursions accumulate their result, so that the compiler treats them as loops.
type VariableList<
  Text extends string,
  Presence extends Variable[2],
  Found extends Variable = never,
> = Text extends `${infer Head},${infer Tail}`
  ? VariableList<Tail, Presence, Found | OneVariable<Head, Presence>>
  : Found | OneVariable<Text, Presence>

type ExpressionVariables<Text extends string> = Text extends `${';' | '?' | '&'}${infer List}`
  ? VariableList<List, 'optional'>
  : Text extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? VariableList<List, 'required'>
    : VariableList<Text, 'required'>

type AllVariables<
  Text extends string,
  Found extends Variable = never,
> = Text extends `${string}{${infer Expression}}${infer Rest}`
  ? AllVariables<Rest, Found | ExpressionVariables<Expression>>
  : Found

type VariablesObject<Found extends Variable> = {
  [One in Found as One[2] extends 'required' ? One[0] : never]: One[1]
} & { [One in Found as One[2] extends 'optional' ? One[0] : never]?: One[1] }

/**
 * The values of a template's literal type: `{ country: string; city: string }` for
 * `'weather://{country}/{city}'`. Exploded variables are arrays; those of `{;…}`, `{?…}` and `{&…}` are
 * optional. The type `string` gives a record.
 */
export type TemplateVariables<Template extends string> = string extends Template
  ? Record<string, string | string[]>
  : // Editors show the properties instead of the name of a helper.
    VariablesObject<AllVariables<Template>> extends infer Values
    ? { [Name in keyof Values]: Values[Name] }
    : never
