/** A schema is good, but the runtime has no way to compile it. */
export class CannotCompile extends Error {}
