/** The header with the version of the format, `<vendor>-version`, and its documented value (§4.3, §9). */
export const VERSION = { 'anthropic-version': '2023-06-01' };
