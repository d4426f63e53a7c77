import { textOptions } from '../../nodes/shared/gateway/text/formats/options';
import { fields } from '../helpers/panel';
import { runNode } from '../helpers/engine';
import { useNock } from '../helpers/nock';

// The numbers that the panel accepts, and those that are rejected from an expression.

useNock();

const numbers = fields.filter(({ property: { type } }) => type === 'number');
const places = (found: typeof numbers) => found.map(({ place }) => place);

/** Fields that may be fractions: money, times, and text options, whose kinds gateway/text/formats/options.test.ts has. */
const optionsOfText: Record<string, { kind: string }> = textOptions;
const isFraction = (name: string) =>
	/^(threshold|margin|maxPriceRub|maxCostRub|timeout|maxWait|rateLimitWait)$/.test(name) ||
	optionsOfText[name]?.kind === 'number';

/** Fields that may be negative. A wallet may be overdrawn. */
const NEGATIVE = /^(threshold|\w+Penalty|seed)$/;

it('finds the fields', () => {
	expect(numbers.length).toBeGreaterThan(50);
	const names = numbers.map(({ property: { name } }) => name);
	expect([names.some(isFraction), names.some((name) => NEGATIVE.test(name))]).toStrictEqual([true, true]);
});

it('counts are whole numbers', () => {
	const wrong = numbers.filter(
		({ property: { name, typeOptions } }) => (typeOptions?.numberPrecision === 0) === isFraction(name),
	);
	expect(places(wrong)).toStrictEqual([]);
});

it('every field has a minimum, unless it may be negative', () => {
	const isOpen = ({ property: { name, typeOptions } }: (typeof numbers)[number]) =>
		typeOptions?.minValue === undefined && !NEGATIVE.test(name);
	expect(places(numbers.filter(isOpen))).toStrictEqual([]);
});

it('defaults are within range and precision', () => {
	const isWrong = ({ property: { default: value, typeOptions = {} } }: (typeof numbers)[number]) => {
		const { minValue = -Infinity, maxValue = Infinity, numberPrecision = 10 } = typeOptions;
		const number = Number(value);
		return !(number >= minValue && number <= maxValue) || Number(number.toFixed(numberPrecision)) !== number;
	};
	expect(places(numbers.filter(isWrong))).toStrictEqual([]);
});

it('minimums can be entered with the precision of their field', () => {
	const isWrong = ({
		property: { typeOptions: { minValue, numberPrecision } = {} },
	}: (typeof numbers)[number]) =>
		minValue !== undefined &&
		numberPrecision !== undefined &&
		Number(minValue.toFixed(numberPrecision)) !== minValue;
	expect(places(numbers.filter(isWrong))).toStrictEqual([]);
});

describe('values of expressions', () => {
	const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' };

	it.each([
		['Concurrency', { concurrency: 2.5 }, 'Enter a whole number from 1 to 100.'],
		['Max Retries', { maxRetries: 1.5 }, 'Enter a whole number from 0 to 10.'],
		['Timeout (Seconds)', { timeout: 0.5 }, 'Enter a number of at least 1.'],
	])('of %s have the range of its field', async (label, options, hint) => {
		const { error } = await runNode({ node: 'storage', credential, parameters: { options } });
		expect(error?.message).toContain(`The option '${label}' has a value that is not allowed`);
		expect(error?.description).toContain(`${hint} Nothing was sent.`);
	});

	it('of a longest wait must be above 0, as in its field', () => {
		const waits = numbers.filter(({ property: { name } }) => name === 'maxWait');
		const bounds = new Set(waits.map(({ property }) => property.typeOptions?.minValue));
		expect([...bounds]).toStrictEqual([0.001]);
	});
});
