/** Absolute path of a Node that is newer than the packages' own minimum; the two entries below need it. */
export declare const node: string

/** Absolute path of the public conformance suite's command line, to be run with {@link node}. */
export declare const conformance: string

/** Absolute path of the Inspector's command line, to be run with {@link node}. */
export declare const inspector: string
