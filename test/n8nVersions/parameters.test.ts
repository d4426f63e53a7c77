import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { TextGeneration } from '../../nodes/TextGeneration/TextGeneration.node';
import { locator } from '../helpers/values';
import { nodeHelpersOf, versions } from './versions';

// n8n removes the values of parameters that it does not show. A condition may name a parameter further down.

const { description } = new TextGeneration();

const stored = (
	version: string,
	parameters: INodeParameters,
	type: INodeTypeDescription = description,
	withDefaults = false,
) =>
	nodeHelpersOf(version).getNodeParameters(
		type.properties,
		{ resource: 'text', operation: 'generate', ...parameters },
		withDefaults,
		false,
		{ typeVersion: 1 },
		type,
	);

const model = locator('a/b');

describe.each(versions)('n8n-workflow %s', (version) => {
	const attachments = { attachment: [{ source: 'url', url: 'u' }] };

	it.each<[string, INodeParameters]>([
		['a prompt', { model, prompt: 'Hi', systemPrompt: 'Short', attachments }],
		['a prompt without an input mode', { model, format: 'responses', prompt: 'Hi' }],
		['rows', { model, inputMode: 'messages', messages: { message: [{ content: 'Hi', cache: true }] } }],
		['JSON', { model, inputMode: 'json', format: 'messages', systemPrompt: 'Short', messagesJson: '[1]' }],
		['an expression', { model, inputMode: '={{ "json" }}', messagesJson: '[1]', prompt: 'Hi' }],
		[
			'options of a format',
			{
				model,
				format: 'responses',
				prompt: 'Hi',
				tools: { function: [{ name: 'a' }] },
				options: { serviceTier: 'flex', maxTokens: 2, toolChoice: 'required' },
			},
		],
	])('keeps the parameters of %s', (_, parameters) => {
		expect(stored(version, parameters)).toMatchObject(parameters);
	});

	// A group is a collection in a collection.
	it.each([false, true])('a group of options has what was added (with defaults: %s)', (withDefaults) => {
		const options = { sampling: { presencePenalty: 0, topP: 1 } };
		expect(stored(version, { options }, description, withDefaults)?.options).toStrictEqual(options);
	});

	describe('as a tool of an AI Agent', () => {
		const tool = { ...description, name: `${description.name}Tool` };
		const told = (given: INodeParameters) => {
			const parameters = stored(version, given, tool, true) ?? {};
			const node = { parameters, name: 'Ask' } as INode;
			return nodeHelpersOf(version).getToolDescriptionForNode(node, { description: tool });
		};

		it('is described by what its operation says', () => {
			expect(told({ resource: 'image', operation: 'analyze' })).toMatch(
				/^Looks at the image at a URL .* Returns /,
			);
			expect(told({ resource: 'model', operation: 'get' })).toBe(
				'Retrieve a text model with its context window and prices.',
			);
		});

		it('is described as the workflow says', () => {
			const own = 'Writes a poem';
			expect(told({ descriptionType: 'manual', toolDescription: own })).toBe(own);
			expect(told({ descriptionType: 'auto' })).toMatch(/^Asks another language model/);
		});
	});

	it('removes what another input mode or format has', () => {
		const kept = stored(version, {
			model,
			inputMode: 'json',
			format: 'messages',
			prompt: 'Hi',
			options: { serviceTier: 'flex', maxTokens: 5 },
		});
		expect(kept).not.toHaveProperty('prompt');
		expect(kept?.options).toStrictEqual({ maxTokens: 5 });
	});
});
