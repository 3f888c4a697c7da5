package xlsxtest

// attributes are those that Excel knows of the elements in sequences (ECMA-376,
// Part 1, Annex A, with the bounds of [MS-OI29500]): it repairs a part that has
// others, or values of another type. What follows a name tells its values:
//
//	name?      true or false
//	name#9     a whole number from 0 to 9; # alone: to 2^32-1
//	name~9     a number from 0 to 9; ~ alone: any finite one
//	name=a|b   one of these
//
// An exclamation mark at the end stands for an attribute that has to be there. The
// prefix r is that of relationships.
var attributes = map[string]string{
	"workbook":    "conformance=transitional",
	"fileVersion": "appName lastEdited lowestEdited rupBuild codeName",
	"workbookPr": "date1904? dateCompatibility? showObjects=all|placeholders|none showBorderUnselectedTables? " +
		"filterPrivacy? promptedSolutions? showInkAnnotation? backupFile? saveExternalLinkValues? " +
		"updateLinks=userSet|never|always codeName hidePivotFieldList? showPivotChartFilter? allowRefreshQuery? " +
		"publishItems? checkCompatibility? autoCompressPictures? refreshAllConnections? defaultThemeVersion#",
	"workbookView": "visibility=visible|hidden|veryHidden minimized? showHorizontalScroll? showVerticalScroll? " +
		"showSheetTabs? xWindow~ yWindow~ windowWidth#2147483647 windowHeight#2147483647 tabRatio#1000 firstSheet#32766 " +
		"activeTab#32766 autoFilterDateGrouping?",
	"sheet": "name! sheetId#65534! state=visible|hidden|veryHidden r:id!",
	"definedName": "name! comment customMenu description help statusBar localSheetId#32766 hidden? function? vbProcedure? " +
		"xlm? functionGroupId# shortcutKey publishToServer? workbookParameter?",
	"calcPr": "calcId# calcMode=manual|auto|autoNoTable fullCalcOnLoad? refMode=A1|R1C1 iterate? iterateCount#32767 " +
		"iterateDelta~ fullPrecision? calcCompleted? calcOnSave? concurrentCalc? concurrentManualCount# forceFullCalc?",

	"sheetPr": "syncHorizontal? syncVertical? syncRef transitionEvaluation? transitionEntry? published? codeName " +
		"filterMode? enableFormatConditionsCalculation?",
	"outlinePr":   "applyStyles? summaryBelow? summaryRight? showOutlineSymbols?",
	"pageSetUpPr": "autoPageBreaks? fitToPage?",
	"dimension":   "ref!",
	"sheetView": "windowProtection? showFormulas? showGridLines? showRowColHeaders? showZeros? rightToLeft? tabSelected? " +
		"showRuler? showOutlineSymbols? defaultGridColor? showWhiteSpace? view=normal|pageBreakPreview|pageLayout " +
		"topLeftCell colorId#64 zoomScale#400 zoomScaleNormal#400 zoomScaleSheetLayoutView#400 " +
		"zoomScalePageLayoutView#400 workbookViewId#!",
	"pane":      "xSplit ySplit topLeftCell activePane=bottomRight|topRight|bottomLeft|topLeft state=split|frozen|frozenSplit",
	"selection": "pane=bottomRight|topRight|bottomLeft|topLeft activeCell activeCellId# sqref",
	"sheetFormatPr": "baseColWidth#255 defaultColWidth~255 defaultRowHeight~409.5! customHeight? zeroHeight? thickTop? " +
		"thickBottom? outlineLevelRow#7 outlineLevelCol#7",
	"col":                   "min! max! width~255 style hidden? bestFit? customWidth? phonetic? outlineLevel#7 collapsed?",
	"row":                   "r spans s customFormat? ht~409.5 hidden? customHeight? outlineLevel#7 collapsed? thickTop? thickBot? ph?",
	"c":                     "r s t ph?",
	"f":                     "t=normal|array|dataTable|shared aca? ref dt2D? dtr? del1? del2? r1 r2 ca? si# bx?",
	"rPh":                   "sb# eb#",
	"phoneticPr":            "fontId#! type=halfwidthKatakana|fullwidthKatakana|Hiragana|noConversion alignment=noControl|left|center|distributed",
	"autoFilter":            "ref!",
	"mergeCells":            "count#",
	"mergeCell":             "ref!",
	"conditionalFormatting": "pivot? sqref!",
	"cfRule": "type=expression|cellIs|colorScale|dataBar|iconSet|top10|uniqueValues|duplicateValues|containsText|" +
		"notContainsText|beginsWith|endsWith|containsBlanks|notContainsBlanks|containsErrors|notContainsErrors|" +
		"timePeriod|aboveAverage! dxfId# priority#2147483647! stopIfTrue? aboveAverage? percent? bottom? " +
		"operator=lessThan|lessThanOrEqual|equal|notEqual|greaterThanOrEqual|greaterThan|between|notBetween|" +
		"containsText|notContains|beginsWith|endsWith text timePeriod=today|yesterday|tomorrow|last7Days|thisMonth|" +
		"lastMonth|nextMonth|thisWeek|lastWeek|nextWeek rank# stdDev# equalAverage?",
	"dataValidations": "disablePrompts? xWindow#65535 yWindow#65535 count#65534",
	"dataValidation": "type=none|whole|decimal|list|date|time|textLength|custom errorStyle=stop|warning|information " +
		"imeMode=noControl|off|on|disabled|hiragana|fullKatakana|halfKatakana|fullAlpha|halfAlpha|fullHangul|halfHangul " +
		"operator=between|notBetween|equal|notEqual|lessThan|lessThanOrEqual|greaterThan|greaterThanOrEqual " +
		"allowBlank? showDropDown? showInputMessage? showErrorMessage? errorTitle error promptTitle prompt sqref!",
	"hyperlink":    "ref! r:id location tooltip display",
	"printOptions": "horizontalCentered? verticalCentered? headings? gridLines? gridLinesSet?",
	"pageMargins":  "left~49! right~49! top~49! bottom~49! header~49! footer~49!",
	"pageSetup": "paperSize# scale#400 firstPageNumber# fitToWidth#32767 fitToHeight#32767 " +
		"pageOrder=downThenOver|overThenDown orientation=default|portrait|landscape usePrinterDefaults? " +
		"blackAndWhite? draft? cellComments=none|asDisplayed|atEnd useFirstPageNumber? errors=displayed|blank|dash|NA " +
		"horizontalDpi# verticalDpi# copies#32767 r:id",
	"headerFooter": "differentOddEven? differentFirst? scaleWithDoc? alignWithMargins?",
	"rowBreaks":    "count#1023 manualBreakCount#1023",
	"colBreaks":    "count#1023 manualBreakCount#1023",
	"brk":          "id#1048576 min#1048576 max#1048576 man? pt?",
	"ignoredError": "sqref! evalError? twoDigitTextYear? numberStoredAsText? formula? formulaRange? unlockedFormula? " +
		"emptyCellReference? listDataValidation? calculatedColumn?",

	"sst": "count# uniqueCount#",

	"numFmts":      "count#",
	"numFmt":       "numFmtId#65535! formatCode!",
	"fonts":        "count#",
	"b":            "val?",
	"i":            "val?",
	"strike":       "val?",
	"condense":     "val?",
	"extend":       "val?",
	"outline":      "val?",
	"shadow":       "val?",
	"u":            "val=single|double|singleAccounting|doubleAccounting|none",
	"vertAlign":    "val=baseline|superscript|subscript!",
	"sz":           "val~409.55!",
	"name":         "val!",
	"rFont":        "val!",
	"family":       "val#5!",
	"charset":      "val#255!",
	"scheme":       "val=none|major|minor!",
	"fills":        "count#",
	"patternFill":  "patternType",
	"fgColor":      "auto? indexed#255 rgb theme#255 tint~",
	"bgColor":      "auto? indexed#255 rgb theme#255 tint~",
	"color":        "auto? indexed#255 rgb theme#255 tint~",
	"tabColor":     "auto? indexed#255 rgb theme#255 tint~",
	"borders":      "count#",
	"border":       "diagonalUp? diagonalDown? outline?",
	"start":        "style",
	"end":          "style",
	"left":         "style",
	"right":        "style",
	"top":          "style",
	"bottom":       "style",
	"diagonal":     "style",
	"vertical":     "style",
	"horizontal":   "style",
	"cellStyleXfs": "count#",
	"cellXfs":      "count#",
	"xf": "numFmtId#65535 fontId# fillId# borderId# xfId# quotePrefix? pivotButton? applyNumberFormat? applyFont? " +
		"applyFill? applyBorder? applyAlignment? applyProtection?",
	"alignment": "horizontal vertical textRotation#255 wrapText? indent#255 relativeIndent~ justifyLastLine? " +
		"shrinkToFit? readingOrder#2",
	"protection":  "locked? hidden?",
	"cellStyles":  "count#",
	"cellStyle":   "name! xfId#! builtinId#53 iLevel#7 hidden? customBuiltin?",
	"dxfs":        "count#",
	"tableStyles": "count# defaultTableStyle defaultPivotStyle",

	"Default":      "Extension! ContentType!",
	"Override":     "PartName! ContentType!",
	"Relationship": "Id! Type! Target! TargetMode=Internal|External",
}
