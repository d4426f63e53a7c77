// ESLint rule: no field of an object is read or set by a name that may come from outside. `fieldOf` and `setField` of
// gateway/util/json.ts, and maps, take any name; `object[name]` finds what each object inherits, and sets prototypes.
import { ESLintUtils } from '@typescript-eslint/utils';
import ts from 'typescript';

const { Any, String: Text, TemplateLiteral, StringMapping } = ts.TypeFlags;
const ANY_TEXT = Any | Text | TemplateLiteral | StringMapping;

const ASSIGN = /^(Object\.assign|Reflect\.set)$/;

export const outsideNames = ESLintUtils.RuleCreator.withoutDocs({
	meta: {
		type: 'problem',
		schema: [],
		messages: {
			name: 'The name may come from outside: use fieldOf, setField or a Map.',
			fields: 'The names of the fields may come from outside: use setField, addFields or a spread.',
		},
	},
	defaultOptions: [],
	create(context) {
		const services = ESLintUtils.getParserServices(context);
		const checker = services.program.getTypeChecker();
		const partsOf = (node) => {
			const type = services.getTypeAtLocation(node);
			return type.isUnion() ? type.types : [type];
		};
		/** Whether a name is any text, not one of a few that the source has. */
		const isAnyText = (node) =>
			partsOf(node).some((type) => (checker.getBaseConstraintOfType(type) ?? type).flags & ANY_TEXT);
		/** Whether an object, or one of a list, has fields of any name. */
		const hasAnyField = (node) => {
			const types = partsOf(node.type === 'SpreadElement' ? node.argument : node);
			const elements = types.flatMap((type) => checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type);
			return elements.some((type) => checker.getIndexInfoOfType(type, ts.IndexKind.String) !== undefined);
		};
		return {
			MemberExpression(node) {
				const isDeleted = node.parent.operator === 'delete';
				if (node.computed && !isDeleted && isAnyText(node.property))
					context.report({ node, messageId: 'name' });
			},
			'ObjectPattern > Property[computed=true]'(node) {
				if (isAnyText(node.key)) context.report({ node, messageId: 'name' });
			},
			'BinaryExpression[operator="in"]'(node) {
				if (isAnyText(node.left)) context.report({ node, messageId: 'name' });
			},
			CallExpression(node) {
				if (!ASSIGN.test(context.sourceCode.getText(node.callee))) return;
				const [, ...sources] = node.arguments;
				if (sources.some(hasAnyField)) context.report({ node, messageId: 'fields' });
			},
		};
	},
});
