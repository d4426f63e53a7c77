/** An ID in a path: one with a part such as `..`, also percent-encoded, could reach another endpoint. */
export const ID = /^(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\%\p{Cc}\p{Cs}]+$/u;
