import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { inputForm } from '../../../nodes/shared/gateway/inputSchema';
import { withFiles } from '../../../nodes/shared/gateway/placedFiles';
import type { JsonObject } from '../../../nodes/shared/gateway/json';

const retouch = inputForm(sandbox.retouch as JsonObject);
const file = (field: string, value: string) => ({ field, value });

describe('files in an input', () => {
	it('are appended where the schema wants a list', () => {
		expect(withFiles({}, [file('image_urls', 'a')], retouch)).toStrictEqual({ image_urls: ['a'] });
		expect(
			withFiles({ image_urls: ['a'] }, [file('image_urls', 'b'), file('image_urls', 'c')], retouch),
		).toStrictEqual({
			image_urls: ['a', 'b', 'c'],
		});
	});

	it('are the value where the schema wants one', () => {
		expect(withFiles({ mask_url: null }, [file('mask_url', 'a')], retouch)).toStrictEqual({ mask_url: 'a' });
	});

	it('are refused where there is no room', () => {
		expect(() => withFiles({}, [file('mask_url', 'a'), file('mask_url', 'b')], retouch)).toThrow(
			'takes one file',
		);
		expect(() => withFiles({ mask_url: 'x' }, [file('mask_url', 'a')], retouch)).toThrow(
			'has a value already',
		);
	});

	it('are refused where the model has no such field', () => {
		expect(() => withFiles({}, [file('img', 'a')], retouch)).toThrow("no input field 'img'");
	});

	it('without a schema: one is a value, several are a list, a list stays one', () => {
		expect(withFiles({}, [file('x', 'a')], undefined)).toStrictEqual({ x: 'a' });
		expect(withFiles({}, [file('x', 'a'), file('x', 'b')], undefined)).toStrictEqual({ x: ['a', 'b'] });
		expect(withFiles({ x: [] }, [file('x', 'a')], undefined)).toStrictEqual({ x: ['a'] });
	});

	it('leave the input that was given as it is', () => {
		const input = { image_urls: ['a'] };
		withFiles(input, [file('image_urls', 'b')], retouch);
		expect(input).toStrictEqual({ image_urls: ['a'] });
	});
});
